/** `npm run mutate -- policy [--bench] [--only ID,ID]`: breaks the policy in many ways, and says which tests notice. */
'use strict'
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies()
  return prepare.runNode(['scripts/mutate.mjs', ...process.argv.slice(2)])
})
