/** The prompts of all servers as other programs see them, named like tools: `server__prompt`. */
import type { Features, Listing } from '../ports/feature-port.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { GET_PROMPT } from '../text/feature-names.ts'
import type { JsonObject } from '../text/json.ts'
import { mayBeListed, type Reader } from './offered-resources.ts'
import { toolName } from './tool-name.ts'
import { withoutIdentity } from './without-identity.ts'

export interface OfferedPrompt {
  /** The server, and the name that it gave the prompt. */
  readonly id: ToolId
  readonly item: JsonObject
}

export async function listPrompts(
  features: Pick<Features, 'listings'>,
  { signal, session: { scope } }: Reader,
): Promise<ReadonlyMap<string, OfferedPrompt>> {
  const listings = await features.listings('prompts', signal)
  const isIn = ({ server }: Listing): boolean => scope.has({ server, name: GET_PROMPT })
  const seen = listings.filter((one) => mayBeListed(one) && isIn(one))
  const all = seen.flatMap(({ server, items }) =>
    items.flatMap((item) => {
      const own = item['name']
      if (typeof own !== 'string') return []
      const id = { server, name: own }
      return [{ id, item: { ...withoutIdentity(item), name: toolName(id) } }]
    }),
  )
  return new Map(all.map((prompt) => [prompt.item.name, prompt]))
}
