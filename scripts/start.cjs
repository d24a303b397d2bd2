/** `npm start`: makes the machine ready, then runs Cordon in this terminal. */
'use strict'
const path = require('node:path')
const { KERNEL_FLAGS } = require('../bin/kernel-flags.cjs')
const { offerLinkHere } = require('./offer-link.cjs')
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies('run')
  await prepare.ensurePage()
  const missing = await prepare.ensureSystemPackages(prepare.RUN_PACKAGES)
  if (missing.length > 0) {
    prepare.say(
      `warning: servers cannot be started until you run: sudo apt-get install ${missing.join(' ')}`,
    )
  }
  await offerLinkHere(prepare)
  const main = path.join(prepare.root, 'src', 'main.ts')
  return prepare.runNode([...KERNEL_FLAGS, main, 'up', ...process.argv.slice(2)])
})
