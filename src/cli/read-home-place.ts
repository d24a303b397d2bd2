/** The person's home and the folders that a server was given: what `~/` at the start of a typed value may stand for. */
import type { Api } from '../api/contract.ts'
import type { HomeOf } from '../text/expand-home.ts'
import type { Surface } from './context.ts'

/** An unknown server has no folders; the call itself reports it. */
export async function readHomePlace(
  { homeFolder, workingFolder }: Pick<Surface, 'homeFolder' | 'workingFolder'>,
  api: Api,
  server: string,
): Promise<HomeOf> {
  const shown = await api.call('mcp.show', { server, workingFolder }).catch(() => undefined)
  const { readPaths = [], writePaths = [] } = shown?.sandbox ?? {}
  return { homeFolder, folders: [...readPaths, ...writePaths] }
}
