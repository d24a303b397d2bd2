/** `npm run docs`: regenerates docs/errors.md. */
import { writeFileSync } from 'node:fs'
import { findErrorSites } from './error-sites.ts'
import { writeErrorsDoc } from './errors-doc.ts'
import { readFrozenCodes } from './frozen-codes.ts'
import { readShipped } from './syntax.ts'

const { sites } = findErrorSites(readShipped())
const text = writeErrorsDoc(readFrozenCodes(), sites)
writeFileSync(new URL('../../docs/errors.md', import.meta.url), text)
