/** Throws if the shell has split a flow: `cordon a >> b` appends the output of `a` to a file called `b`. */
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowNodeView, FlowSource } from '../../ports/flow-port.ts'
import type { KnowsNode, Surface } from '../context.ts'

/** `program` is the command before the flow. */
export async function explainShell(
  surface: Surface,
  api: Api,
  source: FlowSource,
  program: string = 'cordon',
): Promise<void> {
  const words = wordsOf(source)
  if (words === undefined) return
  const knowNodes = async () => knownAmong((await api.call('flows.nodes', {})).nodes)
  const mistake = await surface.findShellMistake(words, knowNodes, program)
  if (!mistake) return
  const { code, message, hint } = mistake
  throw new CordonError(code, { exit: 2, hint }, message)
}

function wordsOf(source: FlowSource): readonly string[] | undefined {
  if (source.kind === 'words') return source.words
  return source.kind === 'text' ? [source.text] : undefined
}

function knownAmong(nodes: readonly FlowNodeView[]): KnowsNode {
  const byName = new Map(nodes.map((node) => [fold(node.id), node]))
  const knows = (name: string): boolean => byName.has(fold(name))
  return Object.assign(knows, {
    takesFlag(name: string, flag: string) {
      const node = byName.get(fold(name))
      const keys = [...(node?.inputs ?? []), ...(node?.params ?? [])]
      return keys.some((key) => fold(key.name) === fold(flag))
    },
  })
}

function fold(name: string): string {
  return name.replaceAll('_', '-').toLowerCase()
}
