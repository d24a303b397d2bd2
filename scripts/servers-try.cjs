/** `npm run servers:try [-- WORD…]`: connects popular npm servers by their pasted line, and writes docs/servers-tried.md. */
'use strict'
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies()
  const missing = await prepare.ensureSystemPackages(prepare.RUN_PACKAGES)
  if (missing.length > 0) {
    prepare.say(`error: Cannot try servers without: sudo apt-get install ${missing.join(' ')}`)
    return 5
  }
  return prepare.runNode(['test/servers/real/try-all.ts', ...process.argv.slice(2)])
})
