/**
 * The tools by which the features of a server are called, made by Cordon and pinned with the server's own: they are held
 * back as long as all of those are, so that a quarantined server gives out nothing.
 */
import type { DeclaredFeatures } from '../../ports/feature-port.ts'
import { FEATURE_NAMES } from '../../text/feature-names.ts'
import { featureTool } from '../session/feature-tools.ts'
import type { Manifest, ManifestTool } from './manifest.ts'
import { hashOf } from './pin-hash.ts'

export const NOTHING_DECLARED: DeclaredFeatures = {
  resources: false,
  subscriptions: false,
  prompts: false,
  completions: false,
  logging: false,
}

/** The same objects as long as the manifest is the same: facts about a tool are cached by it. */
export function createFeatureTools(): (
  manifest: Manifest,
  name: string,
) => ManifestTool | undefined {
  const known = new WeakMap<Manifest, ReadonlyMap<string, ManifestTool>>()
  return (manifest, name) => {
    const found = known.get(manifest) ?? featuresOf(manifest)
    known.set(manifest, found)
    return found.get(name)
  }
}

function featuresOf({ tools, hash: set }: Manifest): ReadonlyMap<string, ManifestTool> {
  const own = [...tools.values()]
  const quarantined = own.length > 0 && own.every((tool) => tool.quarantined)
  const isHeld = quarantined && own.every((tool) => tool.isHeld)
  const setHash = own[0]?.setHash ?? set
  const made = FEATURE_NAMES.flatMap((name): [string, ManifestTool][] => {
    const feature = featureTool(name)
    if (!feature) return []
    const { description, inputSchema } = feature
    const raw = { name, description, inputSchema }
    const pins = { hash: hashOf(raw), setHash, quarantined, isHeld }
    return [[name, { ...raw, ...pins, raw, learned: [] }]]
  })
  return new Map(made)
}
