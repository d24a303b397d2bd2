/**
 * The last known tools of each server, on disk: their definitions, their pins and marks, and the protocol era of the server. If
 * a file cannot be parsed, the server has no pins, so all its tools are quarantined: damaging the file must not bypass
 * the pins.
 */
import { join } from 'node:path'
import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { DeclaredFeatures } from '../../ports/feature-port.ts'
import type { Files, Log } from '../../kernel/ports.ts'
import { SEMANTICS } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { RawTool } from '../session/tool-list.ts'
import { type Manifest, NOTHING_SEEN, readManifest } from './manifest.ts'
import { aliasesOf } from './pin-hash.ts'

export interface StoredManifest {
  readonly manifest: Manifest
  readonly prior?: PriorDiscovery
  /** Hash of the definition with which the protocol era was found; `seenAt` is the time of that. */
  readonly launchHash: string
  readonly seenAt: number
  /** The server's own `instructions` for a model. */
  readonly instructions?: string
  /** Its features besides tools; absent in a file of an earlier version. */
  readonly declared?: DeclaredFeatures
}

export interface ManifestStore {
  read(server: ServerId): Promise<StoredManifest | undefined>
  write(server: ServerId, stored: StoredManifest): Promise<void>
}

interface StoreDeps {
  readonly files: Pick<Files, 'read' | 'write'>
  readonly pinsFolder: string
  readonly log: Log
}

const rawTool = z.looseObject({ name: z.string() }) as unknown as z.ZodType<RawTool>
const pairs = z.array(z.tuple([z.string(), z.string()]))
const mark = z.object({
  semantics: z.enum(SEMANTICS),
  hash: z.string(),
  setHash: z.string(),
  program: z.string(),
})
const declared = z.object({
  resources: z.boolean(),
  subscriptions: z.boolean(),
  prompts: z.boolean(),
  completions: z.boolean(),
  logging: z.boolean(),
})
const shape = z.object({
  /** 2: the hashes are of whole definitions. */
  version: z.literal([2, 3]),
  launchHash: z.string(),
  seenAt: z.number(),
  prior: z.record(z.string(), z.unknown()).optional(),
  instructions: z.string().exactOptional(),
  declared: declared.exactOptional(),
  /** Tool name to hash. A list of pairs: a tool may have any name, `__proto__` included. */
  pins: pairs,
  replaced: z.array(rawTool),
  tools: z.array(rawTool),
  held: pairs.default([]),
  aliases: pairs.default([]),
  marks: z.array(z.tuple([z.string(), mark])).default([]),
})

export function createManifestStore({ files, pinsFolder, log }: StoreDeps): ManifestStore {
  const pathOf = (server: ServerId): string => join(pinsFolder, `${server}.json`)
  return {
    async read(server) {
      const bytes = await files.read(pathOf(server))
      if (!bytes) return undefined
      try {
        const stored = shape.parse(JSON.parse(bytes.toString()))
        const { launchHash, seenAt, prior, instructions, pins, held } = stored
        const said = {
          ...(instructions !== undefined && { instructions }),
          ...(stored.declared && { declared: stored.declared }),
        }
        const manifest = readManifest(stored.tools, {
          tools: new Map(),
          pins: new Map(pins),
          replaced: new Map(stored.replaced.map((tool) => [tool.name, tool])),
          held: new Map(held),
          aliases: stored.version === 3 ? new Map(stored.aliases) : aliasesFrom(stored),
          marks: new Map(stored.marks),
        })
        const spoken = prior ? { prior: prior as PriorDiscovery } : {}
        return { manifest, launchHash, seenAt, ...spoken, ...said }
      } catch (cause) {
        log.error('The pinned tools of a server cannot be read; all are quarantined', {
          server,
          cause,
        })
        return { manifest: readManifest([], NOTHING_SEEN), launchHash: '', seenAt: 0 }
      }
    },
    async write(server, { manifest, prior, launchHash, seenAt, instructions, declared: offers }) {
      const tools = [...manifest.tools.values()].map(({ raw }) => raw)
      const [pins, replaced] = [[...manifest.pins], [...manifest.replaced.values()]]
      const said = { prior, instructions, declared: offers, pins, replaced, tools }
      const { held, marks, aliases } = manifest
      const own = { held: [...held], marks: [...marks], aliases: [...aliases] }
      const content = { version: 3, launchHash, seenAt, ...said, ...own }
      await files.write(pathOf(server), JSON.stringify(content))
    },
  }
}

function aliasesFrom({ pins, held, tools, replaced }: z.infer<typeof shape>): Manifest['aliases'] {
  const accepted = new Set([...pins, ...held].map(([, hash]) => hash))
  return aliasesOf([...tools, ...replaced], accepted)
}
