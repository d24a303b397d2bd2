/**
 * The tools as other programs are shown them: under the gateway's names, with the effect that Cordon judged instead of the
 * server's hints. A tool that could not be called is not listed. Where a definition is flagged as suspicious, the
 * host's own line stands for its description, it has no title and its schemas lose their prose, since the client's model
 * would read them. Icons are left out: a program would fetch them from wherever the server says.
 */
import { isRead } from '../kernel/effect.ts'
import type { Servers } from '../kernel/ports.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ToolDescription } from '../kernel/server-state.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import type { ToolCard, ToolIndex } from '../ports/tool-view.ts'
import type { JsonObject } from '../text/json.ts'
import { cutText, seenLine, seenText } from '../text/untrusted-text.ts'
import { bareSchema } from './bare-schema.ts'
import { toolMeta } from './tool-meta.ts'
import { toolName } from './tool-name.ts'
import { withoutHeaders } from './without-headers.ts'

export interface OfferedTool {
  readonly id: ToolId
  readonly card: ToolCard
  /** As `tools/list` answers it. */
  readonly definition: JsonObject
  /** Its answers are structured content. */
  readonly isStructured: boolean
}

export type Offered = ReadonlyMap<string, OfferedTool>

export interface OfferDeps {
  readonly toolIndex: Pick<ToolIndex, 'list' | 'descriptions'>
  readonly servers: Pick<Servers, 'tools' | 'firstTools'>
}

export interface Offer {
  /** All tools that can be called now, also of servers that were added a moment ago. The same object as long as none has changed. */
  list(): Promise<Offered>
  /** As last listed: a tool that was blocked since is refused by the door, which looks again. */
  find(name: string): Promise<OfferedTool | undefined>
}

export function createOffer(deps: OfferDeps): Offer {
  let cards: readonly ToolCard[] = []
  const none = Promise.resolve<Offered>(new Map())
  let offered = none
  /** A list that could not be read is read again, for whoever asks next. */
  const forget = (error: unknown): never => {
    cards = []
    offered = none
    throw error
  }
  const list = async (): Promise<Offered> => {
    await deps.servers.firstTools()
    const listed = await deps.toolIndex.list()
    const usable = listed.filter(({ blocked }) => blocked === undefined).map(({ card }) => card)
    if (usable.length !== cards.length || usable.some((card, at) => card !== cards[at])) {
      cards = usable
      offered = readOffered(deps, usable).catch(forget)
    }
    return await offered
  }
  return {
    list,
    find: async (name) => (await offered).get(name) ?? (await list()).get(name),
  }
}

async function readOffered(deps: OfferDeps, cards: readonly ToolCard[]): Promise<Offered> {
  const tools = await Promise.all(
    [...Map.groupBy(cards, ({ id }) => id.server)].map(([server, own]) =>
      readServer(deps, server, own),
    ),
  )
  const offered = new Map<string, OfferedTool>()
  const twice = new Set<string>()
  for (const tool of tools.flat()) {
    const name = toolName(tool.id)
    if (offered.has(name)) twice.add(name)
    offered.set(name, tool)
  }
  // A call by this name could mean either of the two.
  for (const name of twice) offered.delete(name)
  return offered
}

async function readServer(
  { servers, toolIndex }: OfferDeps,
  server: ServerId,
  cards: readonly ToolCard[],
): Promise<readonly OfferedTool[]> {
  const described = new Map((await servers.tools(server)).map((tool) => [tool.name, tool]))
  const plain = await toolIndex.descriptions(server)
  return cards.flatMap((card) => {
    const tool = described.get(card.id.name)
    return tool ? [offer(card, tool, plain.get(tool.name))] : []
  })
}

const LONGEST_DESCRIPTION = 4000
const LONGEST_TITLE = 100

function offer(card: ToolCard, tool: ToolDescription, words: string | undefined): OfferedTool {
  const { outputSchema } = tool
  const isFlagged = words === undefined
  const { id, effect, summary } = card
  const description = isFlagged ? summary : cutText(seenText(words), LONGEST_DESCRIPTION)
  const definition = {
    name: toolName(id),
    ...(isFlagged || !tool.title ? {} : { title: seenLine(tool.title, LONGEST_TITLE) }),
    description,
    inputSchema: withoutHeaders(isFlagged ? bareSchema(tool.inputSchema) : tool.inputSchema),
    ...(outputSchema && { outputSchema: isFlagged ? bareSchema(outputSchema) : outputSchema }),
    ...toolMeta(id.server, tool.meta, !isFlagged),
    annotations: {
      readOnlyHint: isRead(effect),
      destructiveHint: effect === 'destructive' || effect === 'exec',
    },
  }
  return { id, card, definition, isStructured: outputSchema !== undefined }
}
