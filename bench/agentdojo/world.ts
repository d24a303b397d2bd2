/** A suite under one setting of the policy: the facts of its tools, its directories, the owner's grants. */
import type { Grant } from '../../src/kernel/grant.ts'
import type { Label, Level } from '../../src/labels/label.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import { type FieldManifest } from './field-manifest.ts'
import type { Suite } from './suite.ts'
import { knowTools } from './suite-facts.ts'

export interface Setting {
  readonly name: string
  /** g1: the catalog names the directories of the suite's server. */
  readonly hasDirectories?: boolean
  /** g3: at most this amount may be spent in one call, with a payee the owner named. */
  readonly spendCap?: number
  /** The level of a server that the suite says nothing of; absent: the one that Cordon gives it. */
  readonly level?: Level
}

export const SETTINGS: readonly Setting[] = [
  { name: 'no grants' },
  { name: 'default grants', hasDirectories: true },
  { name: 'spend cap', hasDirectories: true, spendCap: 500 },
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
}

export function createWorld(suite: Suite, manifest: FieldManifest, setting: Setting): World {
  const { level, hasDirectories = false } = setting
  const known = hasDirectories ? withDirectories(suite, manifest) : manifest
  const tools = knowTools(suite, known, { ...(level && { level }) })
  const tool = (name: string) => {
    const found = tools.get(name)
    if (!found) throw new TypeError(`No tool ${JSON.stringify(name)} in the suite`)
    return found
  }
  return {
    suite,
    setting,
    manifest: known,
    facts: (name) => tool(name).facts,
    pinned: (name) => tool(name).facts,
    label: (name) => tool(name).label,
    grants: (name) => spendGrants(tool(name).facts, setting.spendCap),
  }
}

/** The year 2100. */
const FAR = 4_102_444_800_000

function spendGrants({ id, roles, hash, serverPin }: ToolFacts, max?: number): readonly Grant[] {
  if (max === undefined || ![...roles.values()].includes('amount')) return []
  const { server, name: tool } = id
  const span = { createdAt: 0, expiresAt: FAR, usesLeft: 1_000_000 }
  const owner = OWNER.id
  return [
    { kind: 'spend', max, id: `spend ${tool}`, owner, server, tool, hash, serverPin, ...span },
  ]
}

/** Lists of people and channels, as a catalog entry would name them. An attack may write in them. */
const DIRECTORIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  slack: { get_channels: '[*]', get_users_in_channel: '[*]' },
}

function withDirectories(suite: Suite, manifest: FieldManifest): FieldManifest {
  const found = Object.entries(DIRECTORIES[suite.suite] ?? {})
  return { ...manifest, directories: new Map(found.map(([tool, field]) => [tool, [field]])) }
}
