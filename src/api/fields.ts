/** Schemas of the fields that several groups of routes share. Each bounds the size of its input. */
import { z } from 'zod'
import type { Json } from '../text/json.ts'
import { SECRET_NAME } from '../kernel/secret-ref.ts'
import type { Nothing } from './route.ts'

export const nothing: z.ZodType<Nothing> = z.strictObject({})
export const path: z.ZodString = z.string().min(1).max(4096)
export const workingFolder: z.ZodExactOptional<z.ZodString> = path.exactOptional()
export const words: z.ZodExactOptional<z.ZodString> = z.string().min(1).max(500).exactOptional()
export const server: z.ZodString = z.string().min(1).max(200)
export const serverOnly: z.ZodType<{ readonly server: string }> = z.strictObject({ server })
/** A server as it is called in a folder: a trusted project may bring one. */
export interface ServerHere {
  readonly server: string
  readonly workingFolder?: string
}
export const serverHere: z.ZodType<ServerHere> = z.strictObject({ server, workingFolder })
export const tool: z.ZodString = z.string().min(1).max(256)
export const secretName: z.ZodString = z.string().regex(SECRET_NAME)
/** A name, or a whole line or file that a person pasted. */
export const pasted: z.ZodString = z.string().min(1).max(100_000)
export const json: z.ZodType<Json> = z.json()
export const inputs: z.ZodRecord<z.ZodString, z.ZodType<Json>> = z.record(
  z.string().min(1).max(200),
  json,
)
/** The name of a saved flow. */
export const flowName: z.ZodString = z.string().min(1).max(100)
export type Named = { readonly name: string }
export const named: z.ZodType<Named> = z.strictObject({ name: flowName })
