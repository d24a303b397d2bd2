/** `npm run docs`: writes docs/errors.md from the error codes in the source. */
'use strict'
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies()
  return prepare.runNode(['test/pins/write-errors-doc.ts'])
})
