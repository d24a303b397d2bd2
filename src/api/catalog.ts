/** Routes about services that can be connected: the catalog, and the registries. */
import { z } from 'zod'
import type { Catalog, Registries, RegistryPage } from '../ports/catalog-port.ts'
import { CordonError } from '../kernel/error.ts'
import type { Service } from '../ports/service-facts.ts'
import { nothing, pasted } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface CatalogContract {
  'catalog.list': {
    surface: 'any'
    input: Nothing
    output: { readonly services: readonly Service[] }
  }
  'catalog.show': { surface: 'any'; input: { readonly service: string }; output: Service }
  'registry.search': {
    surface: 'any'
    input: {
      readonly query: string
      readonly source?: 'official' | 'smithery'
      readonly next?: string
    }
    output: RegistryPage
  }
  'registry.refresh': { surface: 'any'; input: Nothing; output: Nothing }
}

export interface CatalogDeps {
  readonly catalog: Catalog
  readonly registries: Registries
}

export function catalogRoutes({ catalog, registries }: CatalogDeps): Routes<CatalogContract> {
  return {
    'catalog.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ services: catalog.services }),
    },
    'catalog.show': {
      surface: 'any',
      input: z.strictObject({ service: pasted }),
      handle: async ({ service }) => catalog.find(service) ?? unknownService(catalog, service),
    },
    'registry.search': {
      surface: 'any',
      input: z.strictObject({
        query: z.string().min(1).max(200),
        source: z.enum(['official', 'smithery']).exactOptional(),
        next: z.string().min(1).max(4096).exactOptional(),
      }),
      handle: ({ query, ...options }, signal) => registries.search(query, options, signal),
    },
    'registry.refresh': {
      surface: 'any',
      input: nothing,
      async handle() {
        await registries.refresh()
        return {}
      },
    },
  }
}

/** Does not repeat the typed text: it may be a token that was meant for another place. */
function unknownService(catalog: Catalog, name: string): never {
  const [closest] = catalog.suggest(name)
  throw new CordonError(
    'kernel.no-service',
    {
      exit: 2,
      hint: closest
        ? `Did you mean ${JSON.stringify(closest)}? Run \`cordon catalog list\` to see them all`
        : 'Run `cordon catalog list`, or search with `cordon registry search NAME`',
    },
    'Cannot find a service of this name in the catalog',
  )
}
