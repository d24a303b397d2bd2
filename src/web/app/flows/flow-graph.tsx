/** A flow as a picture: one box for each node with its mark, an arrow for each edge. Every text is a text node. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { seenLine } from '../../../text/untrusted-text.ts'
import type { FlowShape } from './flow-shape.ts'
import { BOX, layOut, type LaidOut } from './lay-out.ts'
import type { NodeMark, NodeMarks } from './node-mark.ts'

export interface FlowGraphProps {
  readonly shape: FlowShape
  readonly marks: NodeMarks
  readonly selected: string | undefined
  readonly onSelect: (node: string) => void
}

/** Longer texts are cut: a box has one width. The whole text is in the details of the node. */
const MOST_LETTERS = 33

export function FlowGraph({ shape, marks, selected, onSelect }: FlowGraphProps): JSX.Element {
  const { width, height, nodes, edges } = useMemo(() => layOut(shape), [shape])
  return (
    <svg
      class="flow"
      role="group"
      aria-label="The flow as a picture"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
    >
      <defs>
        <marker
          id="flow-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path class="tip" d="M0 0 L8 4 L0 8 z" />
        </marker>
      </defs>
      {edges.map((edge, at) => (
        <Arrow key={at} edge={edge} />
      ))}
      {nodes.map((node) => (
        <Box
          key={node.id}
          node={node}
          mark={marks.get(node.id) ?? { tone: 'plain', text: '' }}
          isSelected={node.id === selected}
          onSelect={onSelect}
        />
      ))}
    </svg>
  )
}

function Arrow({ edge }: { readonly edge: LaidOut['edges'][number] }): JSX.Element {
  const { points, label, labelAt, isLoop } = edge
  return (
    <g class={isLoop ? 'edge loop' : 'edge'}>
      <path d={pathThrough(points)} marker-end="url(#flow-arrow)" />
      {label !== '' && (
        <text x={labelAt.x} y={labelAt.y + 4} text-anchor="middle">
          {seenLine(label, MOST_LETTERS)}
        </text>
      )}
    </g>
  )
}

/** Straight to each middle between two points, curved around the points themselves. */
function pathThrough(points: LaidOut['edges'][number]['points']): string {
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (!first || !last) return ''
  const curves = rest.slice(0, -1).map(({ x, y }, at) => {
    const next = rest[at + 1] ?? last
    return `Q${x} ${y} ${(x + next.x) / 2} ${(y + next.y) / 2}`
  })
  return `M${first.x} ${first.y} ${curves.join(' ')} L${last.x} ${last.y}`
}

interface BoxProps {
  readonly node: LaidOut['nodes'][number]
  readonly mark: NodeMark
  readonly isSelected: boolean
  readonly onSelect: (node: string) => void
}

function Box({
  node: { id, type, notes, x, y },
  mark,
  isSelected,
  onSelect,
}: BoxProps): JSX.Element {
  const under = [...(type === id ? [] : [type]), ...notes].join(', ')
  return (
    <g
      class={`node ${mark.tone}`}
      role="button"
      tabindex={0} // in SVG the name of the attribute is case-sensitive
      aria-pressed={isSelected}
      aria-label={[id, under, mark.text].filter((text) => text !== '').join(': ')}
      transform={`translate(${x} ${y})`}
      onClick={() => onSelect(id)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onSelect(id)
      }}
    >
      <rect width={BOX.width} height={BOX.height} rx="9" />
      <text class="name" x="12" y={under === '' ? 28 : 21}>
        {seenLine(id, MOST_LETTERS)}
      </text>
      {under !== '' && (
        <text class="under" x="12" y="38">
          {seenLine(under, MOST_LETTERS)}
        </text>
      )}
      <text class="mark" x="12" y="56">
        {seenLine(mark.text, MOST_LETTERS)}
      </text>
    </g>
  )
}
