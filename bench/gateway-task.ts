/** One task of three calls by a real client on a real kernel: the tokens that pass through the client's model, both ways. */
import { estimateTokens } from '../src/text/estimate-tokens.ts'
import { openFlowCordon } from '../test/fixtures/flow-cordon.ts'
import { connectLines, say } from '../test/fixtures/gateway-clients.ts'

const FLOW = [
  'mcp github search_code as s --query TODO --max-results 3',
  '>> mcp github get_repo as a --repo "${s.search_results[0].path}"',
  '>> mcp github get_repo as b --repo "${s.search_results[1].path}"',
  '>> format --template "${a.result[0].text}; ${b.result[0].text}"',
].join('\n')

export interface TaskTokens {
  readonly plain: number
  readonly flow: number
}

export async function measureTask(): Promise<TaskTokens> {
  await using cordon = await openFlowCordon()
  await cordon.ask(['client', 'add', 'bench', '--tainted', 'warn'])
  const client = await connectLines(cordon, 'bench')
  const spent = async (name: string, args: Record<string, unknown>): Promise<number> => {
    const { text } = await say(client, name, args)
    return estimateTokens(JSON.stringify({ name, arguments: args })) + estimateTokens(text)
  }
  const plain = [
    await spent('github__search_code', { query: 'TODO', max_results: 3 }),
    await spent('github__get_repo', { repo: 'src/a.py' }),
    await spent('github__get_repo', { repo: 'src/b.py' }),
  ]
  const flow = await spent('run_flow', { flow: FLOW })
  const { text } = await say(client, 'run_flow', { flow: FLOW })
  if (text !== 'src/a.py has 3 files; src/b.py has 3 files') throw new Error(`It answered ${text}`)
  await client.close()
  return { plain: plain.reduce((sum, one) => sum + one, 0), flow }
}
