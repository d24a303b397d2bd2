/** A suite under one setting of the policy: the facts of its tools, its contacts, the owner's grants. */
import type { Grant } from '../../src/kernel/grant.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { Label } from '../../src/labels/label.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import type { FieldManifest } from './field-manifest.ts'
import { generalise, placesIn } from './json-path.ts'
import type { Suite } from './suite.ts'
import { knowTools } from './suite-facts.ts'

export interface Setting {
  readonly name: string
  /** g2: the address of a person whom the owner names is trusted where the contacts hold exactly one. */
  readonly hasContacts: boolean
  /** g3: at most this amount may be spent in one call, with a payee the owner named. */
  readonly spendCap?: number
}

export const SETTINGS: readonly Setting[] = [
  { name: 'no grants', hasContacts: false },
  { name: 'default grants', hasContacts: true },
  { name: 'spend cap', hasContacts: true, spendCap: 500 },
]

export interface World {
  readonly suite: Suite
  readonly setting: Setting
  readonly manifest: FieldManifest
  /** Facts of the tool: now, and when the plan was made. */
  facts(name: string): ToolFacts
  pinned(name: string): ToolFacts
  /** Label of all that a tool answers, except the fields in the manifest. */
  label(name: string): Label
  grants(name: string): readonly Grant[]
  /** Whether the value is the address of the only contact whose name is in the words. */
  isContact(value: Json, words: string): boolean
}

export function createWorld(suite: Suite, manifest: FieldManifest, setting: Setting): World {
  const tools = knowTools(suite, manifest)
  const tool = (name: string) => {
    const found = tools.get(name)
    if (!found) throw new TypeError(`No tool ${JSON.stringify(name)} in the suite`)
    return found
  }
  const contacts = setting.hasContacts ? contactsOf(suite, manifest) : []
  return {
    suite,
    setting,
    manifest,
    facts: (name) => tool(name).facts,
    pinned: (name) => tool(name).facts,
    label: (name) => tool(name).label,
    grants: (name) => spendGrants(tool(name).facts, setting.spendCap),
    isContact(value, words) {
      const named = contacts.filter(({ name }) => words.includes(name))
      return named.length === 1 && named[0]?.address === value
    },
  }
}

function spendGrants({ id, roles, hash, serverPin }: ToolFacts, max?: number): readonly Grant[] {
  if (max === undefined || ![...roles.values()].includes('amount')) return []
  const { server, name: tool } = id
  const span = { createdAt: 0, expiresAt: Number.MAX_SAFE_INTEGER, usesLeft: 1 }
  const owner = OWNER.id
  return [
    { kind: 'spend', max, id: `spend ${tool}`, owner, server, tool, hash, serverPin, ...span },
  ]
}

const DIRECTORY = /contacts?|users?|directory|people|members/i

/** Contacts from the server's own directory, read only from fields that others cannot write. */
function contactsOf(
  { userTasks }: Suite,
  { fields }: FieldManifest,
): readonly { readonly name: string; readonly address: Json }[] {
  const steps = userTasks
    .flatMap(({ steps }) => steps)
    .filter(({ tool }) => DIRECTORY.test(tool) && fields.has(tool))
  const entries = steps.flatMap(({ tool, output }) =>
    [...placesIn(output)].flatMap(({ json }) =>
      typeof json === 'object' && json !== null && !Array.isArray(json)
        ? entryOf(json as JsonObject, fields.get(tool) ?? new Set())
        : [],
    ),
  )
  return [
    ...new Map(
      entries.map((entry) => [`${entry.name} ${JSON.stringify(entry.address)}`, entry]),
    ).values(),
  ]
}

function entryOf(
  json: JsonObject,
  fields: ReadonlySet<string>,
): readonly { readonly name: string; readonly address: Json }[] {
  const { name } = json
  if (typeof name !== 'string') return []
  return Object.entries(json)
    .filter(([key]) => fields.has(generalise([0, key])))
    .map(([, address]) => ({ name, address }))
}
