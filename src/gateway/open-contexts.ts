/**
 * The contexts of the gateway, on disk. A change holds from the next request on: no client reads a file for it. Never
 * widens by accident: a context that is gone has no members, so a client that was limited to it is offered nothing.
 */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { Audit, Notes } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { isServerId } from '../kernel/server-id.ts'
import { splitTool } from '../kernel/tool-id.ts'
import type { ContextChange, Contexts, OfferChanges, ToolContext } from '../ports/context-port.ts'

export interface ContextsDeps {
  readonly owner: PrincipalId
  readonly notes: Notes
  readonly audit: Pick<Audit, 'appendDurable'>
  /** Several kernels share the store: another one may change a context. */
  readonly isShared: boolean
  readonly offerChanges: Pick<OfferChanges, 'announce'>
  readonly now: () => number
}

const KIND = 'context'
const SHAPE = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/
const MOST_CONTEXTS = 100
const MOST_MEMBERS = 1000
/** A change by another kernel holds here after so long. */
const STALE_MS = 500

const Stored: z.ZodType<ToolContext> = z.object({
  name: z.string(),
  members: z.array(z.string()),
  createdAt: z.string(),
})

export async function openContexts(deps: ContextsDeps): Promise<Contexts> {
  const registry = new ContextRegistry(deps)
  await registry.reload()
  return {
    add: (name, members) => registry.add(name, members),
    async list() {
      await registry.reload()
      return registry.all()
    },
    edit: (name, change) => registry.edit(name, change),
    remove: (name) => registry.remove(name),
    membersOf: (names) => registry.membersOf(names),
  }
}

class ContextRegistry {
  readonly #deps: ContextsDeps
  #byName = new Map<string, ToolContext>()
  #readAt = 0

  constructor(deps: ContextsDeps) {
    this.#deps = deps
  }

  async reload(): Promise<void> {
    const rows = await this.#deps.notes.list(KIND)
    const contexts = rows.map(({ content }) => Stored.parse(JSON.parse(content)))
    this.#byName = new Map(contexts.map((context) => [context.name, context]))
    this.#readAt = this.#deps.now()
  }

  all(): readonly ToolContext[] {
    return [...this.#byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  async membersOf(names: readonly string[]): Promise<readonly string[]> {
    const { isShared, now } = this.#deps
    if (isShared && now() - this.#readAt > STALE_MS) await this.reload()
    return names.flatMap((name) => this.#byName.get(name)?.members ?? [])
  }

  async add(name: string, members: readonly string[]): Promise<ToolContext> {
    await this.reload()
    if (!SHAPE.test(name)) throw badName(name)
    if (this.#byName.has(name)) throw nameTaken(name)
    if (this.#byName.size >= MOST_CONTEXTS) throw tooMany()
    const createdAt = new Date(this.#deps.now()).toISOString()
    return await this.#put({ name, members: tidied(members), createdAt }, 'gateway.context-added')
  }

  async edit(name: string, { add = [], remove = [] }: ContextChange): Promise<ToolContext> {
    await this.reload()
    const found = this.#byName.get(name)
    if (!found) throw noSuchContext(name)
    const gone = new Set(tidied(remove))
    const [absent] = [...gone].filter((one) => !found.members.includes(one))
    if (absent !== undefined) throw notInContext(name, absent)
    const members = tidied([...found.members.filter((one) => !gone.has(one)), ...add])
    return await this.#put({ ...found, members }, 'gateway.context-changed')
  }

  async remove(name: string): Promise<boolean> {
    const { notes, owner, audit, offerChanges } = this.#deps
    await this.reload()
    if (!this.#byName.has(name)) return false
    await audit.appendDurable({ kind: 'gateway.context-removed', principal: owner, subject: name })
    await notes.remove(KIND, name)
    this.#byName.delete(name)
    offerChanges.announce()
    return true
  }

  async #put(
    context: ToolContext,
    kind: 'gateway.context-added' | 'gateway.context-changed',
  ): Promise<ToolContext> {
    const { notes, owner, audit, offerChanges } = this.#deps
    const { name, members } = context
    if (members.length > MOST_MEMBERS) throw tooManyMembers(name)
    const details = { members: [...members] }
    await audit.appendDurable({ kind, principal: owner, subject: name, details })
    await notes.put(KIND, name, JSON.stringify(context))
    this.#byName.set(name, context)
    offerChanges.announce()
    return context
  }
}

/** Each once and in order; `github.*` is `github`. */
function tidied(members: readonly string[]): readonly string[] {
  const spelled = members.map((member) => {
    const one = member.endsWith('.*') ? member.slice(0, -2) : member
    const server = splitTool(one)?.server ?? one
    if (!isServerId(server) || one.endsWith('.')) throw badMember(member)
    return one
  })
  return [...new Set(spelled)].toSorted()
}

function badName(name: string): CordonError {
  return new CordonError(
    'gateway.context-name',
    { exit: 2, hint: 'Use lower-case letters, digits and "-", at most 32 characters' },
    `Cannot name a context ${JSON.stringify(name)}`,
  )
}

function nameTaken(name: string): CordonError {
  return new CordonError(
    'gateway.context-taken',
    { exit: 2, hint: `Run \`cordon context edit ${name}\` to change it` },
    `Cannot add context ${JSON.stringify(name)}: there is one`,
  )
}

function tooMany(): CordonError {
  return new CordonError(
    'gateway.contexts-full',
    { exit: 2, hint: 'Run `cordon context list`, and remove one that you no longer use' },
    `Cannot add a context: there are ${MOST_CONTEXTS}`,
  )
}

function tooManyMembers(name: string): CordonError {
  return new CordonError(
    'gateway.context-size',
    { exit: 2, hint: 'Name whole servers instead of their tools' },
    `Cannot put more than ${MOST_MEMBERS} servers and tools into context ${JSON.stringify(name)}`,
  )
}

function badMember(member: string): CordonError {
  return new CordonError(
    'gateway.context-member',
    { exit: 2, hint: 'Name a server such as `github`, or a tool such as `github.search_code`' },
    `Cannot put ${JSON.stringify(member.slice(0, 100))} into a context`,
  )
}

function notInContext(name: string, member: string): CordonError {
  return new CordonError(
    'gateway.not-in-context',
    { exit: 2, hint: `Run \`cordon context show ${name}\` to see what is in it` },
    `Cannot take ${JSON.stringify(member)} out of context ${JSON.stringify(name)}: it is not in it`,
  )
}

export function noSuchContext(name: string): CordonError {
  return new CordonError(
    'gateway.no-context',
    { exit: 2, hint: 'Run `cordon context list` to see the contexts there are' },
    `Cannot find context ${JSON.stringify(name)}`,
  )
}
