/** `[gateway]` in `config.toml`, for operators. Read when the kernel starts. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { ConfigFile } from './config-file.ts'

export interface GatewaySettings {
  /** How long requests under way may take when Cordon stops, before they are cut. */
  readonly drainMs: number
  /** Whether `/metrics` is answered. */
  readonly hasMetrics: boolean
  /** The address of a collector that takes OTLP over HTTP; absent: requests are not traced. */
  readonly traces?: URL
}

/** Without TLS only on this machine, and never with a password, which would be in a file of settings. */
function isCollector(text: string): boolean {
  const url = URL.parse(text)
  if (!url || url.username !== '' || url.password !== '' || url.search !== '') return false
  const isHere = url.hostname === '127.0.0.1' || url.hostname === 'localhost'
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere)
}

const shape = z.strictObject({
  drain_seconds: z.int().min(0).max(600).default(10),
  metrics: z.boolean().default(false),
  traces: z.string().refine(isCollector).exactOptional(),
})

export async function readGatewaySettings(
  config: ConfigFile,
  path: string,
): Promise<GatewaySettings> {
  const read = shape.safeParse((await config.table('gateway')) ?? {})
  if (!read.success) throw unusable(path)
  const { drain_seconds: seconds, metrics: hasMetrics, traces } = read.data
  return {
    drainMs: seconds * 1000,
    hasMetrics,
    ...(traces !== undefined && { traces: new URL(traces) }),
  }
}

function unusable(path: string): CordonError {
  const hint =
    'Under `[gateway]` write `drain_seconds = 10` (0 to 600), `metrics = true` and `traces = "http://127.0.0.1:4318"`, or leave them out'
  return new CordonError(
    'home.config',
    { exit: 2, hint },
    `Cannot read the settings under [gateway] in ${JSON.stringify(path)}`,
  )
}
