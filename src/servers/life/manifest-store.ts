/**
 * The last known tools of each server, on disk: what an idle server offers, what its tools are pinned to, and which era
 * it speaks. When a file cannot be understood, nothing of that server is pinned, so that all its tools are quarantined:
 * losing the pins must not be a way around them.
 */
import { join } from 'node:path'
import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Files, Log } from '../../kernel/ports.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { RawTool } from '../session/tool-list.ts'
import { type Manifest, type Pins, readManifest } from './manifest.ts'

export interface StoredManifest {
  readonly manifest: Manifest
  readonly prior?: PriorDiscovery
  /** Of the definition with which the era was found, and when that was. */
  readonly launchHash: string
  readonly seenAt: number
}

export interface ManifestStore {
  read(server: ServerId): Promise<StoredManifest | undefined>
  write(server: ServerId, stored: StoredManifest): Promise<void>
}

interface StoreRooms {
  readonly files: Pick<Files, 'read' | 'write'>
  readonly cacheFolder: string
  readonly log: Log
}

const shape = z.object({
  version: z.literal(1),
  launchHash: z.string(),
  seenAt: z.number(),
  prior: z.record(z.string(), z.unknown()).optional(),
  pins: z.record(z.string(), z.string()),
  tools: z.array(z.looseObject({ name: z.string() })),
})

export function createManifestStore({ files, cacheFolder, log }: StoreRooms): ManifestStore {
  const pathOf = (server: ServerId): string => join(cacheFolder, `${server}.json`)
  return {
    async read(server) {
      const bytes = await files.read(pathOf(server))
      if (!bytes) return undefined
      try {
        const { launchHash, seenAt, prior, pins, tools } = shape.parse(JSON.parse(bytes.toString()))
        const known: Pins = new Map(Object.entries(pins))
        const manifest = readManifest(tools as unknown as readonly RawTool[], known)
        return { manifest, launchHash, seenAt, ...(prior && { prior: prior as PriorDiscovery }) }
      } catch (cause) {
        log.error('The pinned tools of a server cannot be read; all are quarantined', {
          server,
          cause,
        })
        return { manifest: readManifest([], new Map()), launchHash: '', seenAt: 0 }
      }
    },
    async write(server, { manifest, prior, launchHash, seenAt }) {
      const tools = [...manifest.tools.values()].map(({ raw }) => raw)
      const pins = Object.fromEntries(manifest.pins)
      const content = { version: 1, launchHash, seenAt, prior, pins, tools }
      await files.write(pathOf(server), JSON.stringify(content))
    },
  }
}
