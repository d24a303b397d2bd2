/** `[gateway]` in `config.toml`, for operators. Read when the kernel starts. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { ConfigFile } from './config-file.ts'

export interface GatewaySettings {
  /** How long requests under way may take when Cordon stops, before they are cut. */
  readonly drainMs: number
  /** Whether `/metrics` is answered. */
  readonly hasMetrics: boolean
}

const shape = z.strictObject({
  drain_seconds: z.int().min(0).max(600).default(10),
  metrics: z.boolean().default(false),
})

export async function readGatewaySettings(
  config: ConfigFile,
  path: string,
): Promise<GatewaySettings> {
  const read = shape.safeParse((await config.table('gateway')) ?? {})
  if (!read.success) throw unusable(path)
  const { drain_seconds: seconds, metrics: hasMetrics } = read.data
  return { drainMs: seconds * 1000, hasMetrics }
}

function unusable(path: string): CordonError {
  const hint =
    'Under `[gateway]` write `drain_seconds = 10` (0 to 600) and `metrics = true`, or leave them out'
  return new CordonError(
    'home.config',
    { exit: 2, hint },
    `Cannot read the settings under [gateway] in ${JSON.stringify(path)}`,
  )
}
