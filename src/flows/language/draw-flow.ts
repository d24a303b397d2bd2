/** Draws a flow for Mermaid, Graphviz or a terminal. In diagrams every text is escaped, so it cannot add elements. */
import type { FlowEdge, FlowIr, FlowNode } from './ir.ts'

export function drawMermaid({ nodes, edges }: FlowIr): string {
  // Numbered names, since a node may be called `end`, a keyword of Mermaid.
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]))
  const boxes = nodes.map((node) => {
    const text = mermaidText(linesOf(node).join('\n'))
    return `  ${names.get(node.id)}${node.forEach ? `[["${text}"]]` : `["${text}"]`}`
  })
  const arrows = edges.flatMap((edge) => {
    const [from, to] = [names.get(edge.from), names.get(edge.to)]
    const words = edgeWords(edge)
    const label = words === '' ? '' : `|"${mermaidText(words)}"|`
    const arrow = edge.max === undefined ? '-->' : '-.->'
    return from && to ? [`  ${from} ${arrow}${label} ${to}`] : []
  })
  return ['flowchart LR', ...boxes, ...arrows, ''].join('\n')
}

export function drawDot({ nodes, edges }: FlowIr): string {
  const boxes = nodes.map((node) => {
    const shape = node.forEach ? ', peripheries=2' : ''
    return `  ${dotText(node.id)} [label=${dotText(linesOf(node).join('\n'))}${shape}]`
  })
  const known = new Set(nodes.map(({ id }) => id))
  const arrows = edges
    .filter(({ from, to }) => known.has(from) && known.has(to))
    .map((edge) => {
      const style = edge.max === undefined ? '' : ', style=dashed'
      return `  ${dotText(edge.from)} -> ${dotText(edge.to)} [label=${dotText(edgeWords(edge))}${style}]`
    })
  return [
    'digraph flow {',
    '  rankdir=LR',
    '  node [shape=box]',
    ...boxes,
    ...arrows,
    '}',
    '',
  ].join('\n')
}

function linesOf({ id, type, forEach, when }: FlowNode): readonly string[] {
  return [
    id,
    ...(type === id ? [] : [type]),
    ...(forEach ? [`for each ${forEach.as}, at most ${forEach.max}`] : []),
    ...(when ? ['only when it holds'] : []),
  ]
}

function edgeWords({ action, max }: FlowEdge): string {
  const words = action === undefined || action === 'default' ? [] : [action]
  return [...words, ...(max === undefined ? [] : [`at most ${max} times`])].join(', ')
}

function mermaidText(text: string): string {
  return text
    .replace(/[^\p{L}\p{N} _.,:@/\n-]/gu, (one) => `#${one.codePointAt(0) ?? 0};`)
    .replaceAll('\n', '<br/>')
}

function dotText(text: string): string {
  const safe = text.replace(/[\p{Cc}\p{Cf}]/gu, (one) => (one === '\n' ? one : ''))
  return `"${safe.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}

/** For a terminal: one line for each node, then one for each edge. */
export function drawText({ nodes, edges }: FlowIr): string {
  const names = new Map(nodes.map((node) => [node.id, linesOf(node).join(', ')]))
  const arrows = edges.map((edge) => {
    const words = edgeWords(edge)
    return `${edge.from} ${words === '' ? '>>' : `- ${words} >>`} ${edge.to}`
  })
  return [...names.values(), ...(arrows.length > 0 ? [''] : []), ...arrows, ''].join('\n')
}
