/** `npm run images`: takes the pictures of docs/images anew, of a real kernel in a real Chromium. */
'use strict'
const prepare = require('./prepare.cjs')

void prepare.main(async () => {
  await prepare.ensureDependencies()
  await prepare.ensurePage()
  return prepare.runNode(['test/browser/write-images.ts'])
})
