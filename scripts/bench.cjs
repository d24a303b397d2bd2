/** `npm run bench -- NAME…`: makes the machine ready, then measures; exits 1 when a bar is missed. */
'use strict'
const { KERNEL_FLAGS } = require('../bin/kernel-flags.cjs')
const { installApart } = require('./install-apart.cjs')
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies()
  await prepare.ensurePage()
  const missing = await prepare.ensureSystemPackages(prepare.BENCH_PACKAGES)
  if (missing.length > 0) {
    prepare.say(
      `warning: what needs them cannot be measured: sudo apt-get install ${missing.join(' ')}`,
    )
  }
  const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
  if (asked.length === 0 || asked.includes('gateway')) await installApart('gateway-peers')
  return prepare.runNode([...KERNEL_FLAGS, 'bench/run.ts', ...process.argv.slice(2)])
})
