/** The data and secrets that go with a removed server: told before it happens, and afterwards. */
import type { Api, Output } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'

export interface RemoveOptions {
  readonly keepSecrets?: boolean
  readonly keepData?: boolean
  readonly yes?: boolean
}

/** The sentence about data that would be lost; empty if there is none, or it is kept. Throws if there is no server. */
export async function dataLoss(
  api: Api,
  server: string,
  { keepData = false, yes = false }: RemoveOptions,
): Promise<string> {
  if (keepData || yes) return ''
  const shown = await api.call('mcp.show', { server }).catch(async (error: unknown) => {
    // A definition that cannot be read is not shown, and can be removed.
    if (error instanceof CordonError && (await isBroken(api, server))) return undefined
    throw error
  })
  const keeps = shown?.keeps
  return keeps === undefined ? '' : ` What it keeps in ${keeps} is deleted for good.`
}

async function isBroken(api: Api, server: string): Promise<boolean> {
  const { problems } = await api.call('mcp.list', {})
  return problems.some(({ path }) => path.endsWith(`/${server}.toml`))
}

export function describeRemoval(done: Output<'mcp.remove'>): readonly string[] {
  return [
    ...done.removedSecrets.map((name) => `  and its secret ${name}`),
    ...(done.removedData ? ['  and what it kept'] : []),
  ]
}
