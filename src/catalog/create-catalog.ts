/** The known services, and the lookup of a name or a pasted text. Makes no request, and keeps no state. */
import type { Catalog } from '../kernel/catalog-port.ts'
import { KNOWN_SERVICES } from './known-services.ts'
import { createNameBook } from './name-index.ts'
import { parsePasted } from './pasted/parse-pasted.ts'
import { createTokenOwner } from './token-owner.ts'

export function createCatalog(): Catalog {
  const services = KNOWN_SERVICES
  const book = createNameBook(services)
  const serviceOfToken = createTokenOwner(services)
  const reader = { book, services, isToken: (text: string) => serviceOfToken(text) !== undefined }
  return {
    services,
    find: (name) => book.find(name),
    suggest: (name) => book.suggest(name),
    imitates: (name) => book.imitates(name),
    parsePasted: (text) => parsePasted(reader, text),
    serviceOfToken,
  }
}
