/** The catalog's facts about tools, compared with the real tool lists where they are present. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { KNOWN_SERVICES } from '../../src/catalog/known-services.ts'
import type { JsonObject } from '../../src/text/json.ts'
import type { ToolOverride } from '../../src/kernel/server-definition.ts'
import type { Service } from '../../src/ports/service-facts.ts'
import { judgeEffect } from '../../src/servers/life/judge-effect.ts'
import { rolesOf } from '../../src/servers/tools/argument-roles.ts'
import { lookAlikes } from '../../src/text/look-alike.ts'
import {
  indexOfStrangers,
  readListedTools,
  readQueries,
  recallAt5,
} from '../fixtures/tool-queries.ts'
import { define } from './runtime/direct-sandbox.ts'

const LISTS = new URL('../../../shared/data/tools/', import.meta.url)
const skip = !existsSync(LISTS) && 'the real tool lists are not here'
/** Names of lists that differ from the name of the service. */
const FILES: Readonly<Record<string, string>> = {
  github: 'github-archived',
  slack: 'slack-zencoder',
  atlassian: 'jira',
  'google-drive': 'gdrive',
  postgres: 'sqlite-dbhub',
}
/** Services whose list was made from another package. */
const OTHERS = new Set(['cloudflare', 'discord', 'google-calendar'])

interface Listed {
  readonly name: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
}

function listOf({ slug }: Service): readonly Listed[] {
  const file = new URL(`${FILES[slug] ?? slug}.json`, LISTS)
  if (OTHERS.has(slug) || !existsSync(file)) return []
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Listed[]
}

const EFFECTS = { read: 'remote-read', write: 'write', destructive: 'destructive', exec: 'exec' }

test('the catalog’s word on a real tool overrules its name and its hints', {
  skip,
}, () => {
  let checked = 0
  for (const service of KNOWN_SERVICES) {
    const { tools, domains } = service
    const definition = define(service.slug, 'echo', {
      tools,
      allowedDomains: domains.length > 0 ? domains : ['example.com'],
    })
    for (const tool of listOf(service)) {
      const said: ToolOverride | undefined = tools[tool.name]
      const { effect } = judgeEffect(definition, tool)
      assert.equal(
        effect,
        EFFECTS[said?.semantics ?? 'destructive'],
        `${service.slug}.${tool.name}`,
      )
      checked += 1
    }
  }
  assert.ok(checked > 900, String(checked))
})

test('roles and fields of the catalog name what the real tools have', { skip }, () => {
  for (const service of KNOWN_SERVICES) {
    for (const tool of listOf(service)) {
      const { roles = {}, fields = [], answers } = service.tools[tool.name] ?? {}
      const known = rolesOf(tool.inputSchema, undefined)
      for (const name of Object.keys(roles)) assert.ok(known.has(name), `${tool.name} ${name}`)
      // JSON inside a text has no output schema.
      if (answers === 'json') assert.equal(tool.outputSchema, undefined, tool.name)
      for (const field of answers === 'json' ? [] : fields) {
        assert.equal(typeAt(tool.outputSchema, field), 'string', `${tool.name} ${field}`)
      }
    }
  }
})

/** Follows `items[*].id` down an output schema. */
function typeAt(schema: JsonObject | undefined, field: string): unknown {
  const steps = field.replaceAll('[*]', '.[*]').split('.')
  let at = schema as { readonly [key: string]: unknown } | undefined
  for (const step of steps) {
    const inside = step === '[*]' ? at?.['items'] : (at?.['properties'] as JsonObject)?.[step]
    at = inside as typeof at
  }
  return at?.['type']
}

test('no real server has two tools whose names can be taken for each other', { skip }, () => {
  for (const service of KNOWN_SERVICES) {
    const names = listOf(service).map(({ name }) => name)
    assert.deepEqual([...lookAlikes(names)], [], service.slug)
  }
})

test('nine of ten queries find a good tool among the first five of servers nobody vouches for', {
  skip,
}, async () => {
  const lists = readListedTools()
  assert.ok(lists)
  const index = indexOfStrangers(lists)
  const recall = await recallAt5(index, readQueries())
  assert.ok(recall >= 0.9, String(recall))
  const cards = await index.search('save what I learned in the knowledge graph', 5)
  const [found] = cards.filter(({ id }) => id.name === 'create_entities')
  assert.equal(
    found?.summary,
    'create entities: takes entities',
    'nothing of what it says of itself',
  )
})
