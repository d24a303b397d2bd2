/** `npm run catalog:verify [-- NAME…]`: installs known services for real and lists their tools; exits 1 when one fails. */
'use strict'
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies()
  const missing = await prepare.ensureSystemPackages(prepare.RUN_PACKAGES)
  if (missing.length > 0) {
    prepare.say(`error: Cannot verify without: sudo apt-get install ${missing.join(' ')}`)
    return 5
  }
  return prepare.runNode(['test/catalog/verify-all.ts', ...process.argv.slice(2)])
})
