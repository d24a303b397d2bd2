/** How a request names a flow: as text, as words, as JSON or by its saved name. Bounds the size of each. */
import { z } from 'zod'
import type { FlowSource } from '../ports/flow-port.ts'
import { flowName, json, path } from './fields.ts'

export const flowFolder: z.ZodExactOptional<z.ZodString> = path.startsWith('/').exactOptional()
const isFile = z.literal(true).exactOptional()
export const flowSource: z.ZodType<FlowSource> = z.discriminatedUnion('kind', [
  z.strictObject({
    folder: flowFolder,
    kind: z.literal('text'),
    text: z.string().min(1).max(1_000_000),
    isFile,
  }),
  z.strictObject({
    folder: flowFolder,
    kind: z.literal('words'),
    words: z.array(z.string()).min(1).max(10_000),
  }),
  z.strictObject({ folder: flowFolder, kind: z.literal('ir'), ir: json, isFile }),
  z.strictObject({ folder: flowFolder, kind: z.literal('saved'), name: flowName }),
])

/** A folder is that of a terminal; a page has none. */
export function comesFromFolder({ source }: { readonly source: FlowSource }): boolean {
  return source.folder !== undefined
}

export function comesFromFile({ source }: { readonly source: FlowSource }): boolean {
  return 'isFile' in source
}
