/** Views of a node, for people. */
import type { FlowNodeView } from '../../ports/flow-port.ts'
import type { KnownNode } from './node-index.ts'
import type { NodeDescriptor, NodeInput } from './node-descriptor.ts'
import { interfaceLines, renderDescriptorTs, sourceOf } from './render-descriptor.ts'

const views = new WeakMap<KnownNode, FlowNodeView>()

/** Made once for a node: all of them are read with every plan. */
export function viewOf(node: KnownNode): FlowNodeView {
  const known = views.get(node) ?? makeView(node)
  views.set(node, known)
  return known
}

function makeView({ descriptor, facts }: KnownNode): FlowNodeView {
  const { id, kind, title, description = title, purity, pin, inputs, params, outputs } = descriptor
  return {
    id,
    kind,
    title,
    description,
    purity,
    effect: facts?.effect ?? descriptor.effect,
    ...(pin && { server: pin.tool.server, tool: pin.tool.name }),
    ...(facts?.blocked && { blocked: facts.blocked }),
    inputs: inputs.map(inputView),
    params: params.map((one) => {
      return { name: one.name, type: one.type, default: one.default, ...about(one) }
    }),
    outputs: outputs.map(({ name, type }) => ({ name, type })),
  }
}

export function fullViewOf(node: KnownNode): FlowNodeView & { text: string; code: string } {
  const { descriptor } = node
  const { id, title, description, pin, sideEffects } = descriptor
  const lines = [
    id,
    description ?? title,
    ...interfaceLines(descriptor).map((line) => `- ${line}`),
    ...(sideEffects ? [`Side effects: ${sideEffects.join(', ') || 'none'}`] : []),
    ...(pin ? [`MCP Source: ${sourceOf(pin)} sha256:${pin.hash}`] : []),
  ]
  return { ...viewOf(node), text: lines.join('\n'), code: renderDescriptorTs(descriptor) }
}

/** Whether a name, the title or the description of the node contains the text. */
export function isLike(
  { id, title, aliases, description = '' }: NodeDescriptor,
  text: string,
): boolean {
  const wanted = fold(text)
  return [id, title, description, ...aliases].some((one) => fold(one).includes(wanted))
}

function fold(text: string): string {
  return text.toLowerCase().replace(/[-_.\s]+/g, '-')
}

function inputView(one: NodeInput): FlowNodeView['inputs'][number] {
  return { name: one.name, type: one.type, required: one.required, ...about(one) }
}

function about({ description }: { readonly description?: string }): {
  readonly description?: string
} {
  return description === undefined ? {} : { description }
}
