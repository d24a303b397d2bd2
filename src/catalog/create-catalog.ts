/** The known services, and the lookup of a name or a pasted text. Makes no request, and keeps no state. */
import type { Catalog } from '../ports/catalog-port.ts'
import { KNOWN_SERVICES } from './known-services.ts'
import { createNameIndex } from './name-index.ts'
import { parseLaunch } from './pasted/parse-launch.ts'
import { parsePasted } from './pasted/parse-pasted.ts'
import { createTokenOwner } from './token-owner.ts'

export function createCatalog(): Catalog {
  const services = KNOWN_SERVICES
  const names = createNameIndex(services)
  const serviceOfToken = createTokenOwner(services)
  const reader = { names, services, isToken: (text: string) => serviceOfToken(text) !== undefined }
  return {
    services,
    find: (name) => names.find(name),
    suggest: (name) => names.suggest(name),
    imitates: (name) => names.imitates(name),
    parsePasted: (text) => parsePasted(reader, text),
    parseLaunch: (launch) => parseLaunch(reader, launch),
    serviceOfToken,
  }
}
