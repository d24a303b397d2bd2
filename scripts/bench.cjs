/** `npm run bench -- NAME…`: makes the machine ready, then measures; exits 1 when a bar is missed. */
'use strict'
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies()
  return prepare.runNode(['bench/run.ts', ...process.argv.slice(2)])
})
