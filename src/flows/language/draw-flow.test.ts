import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawDot, drawMermaid } from './draw-flow.ts'
import { parseIr } from './ir.ts'

const ir = parseIr({
  nodes: [
    'end',
    { id: 'b', type: 'x"]; click n0 "evil' },
    { id: 'c', type: 'llm', forEach: { items: [] } },
  ],
  edges: [
    { from: 'end', to: 'b' },
    { from: 'b', to: 'end', action: 'rate_limited', max: 3 },
    { from: 'b', to: 'c', action: 'default' },
    { from: 'b', to: 'gone' },
  ],
})

test('a flow is drawn for Mermaid, its words quoted', () => {
  assert.equal(
    drawMermaid(ir),
    `flowchart LR
  n0["end"]
  n1["b<br/>x#34;#93;#59; click n0 #34;evil"]
  n2[["c<br/>llm<br/>for each item, at most 20"]]
  n0 --> n1
  n1 -.->|"rate_limited, at most 3 times"| n0
  n1 --> n2
`,
  )
})

test('a flow is drawn for Graphviz, its words quoted', () => {
  assert.equal(
    drawDot(ir),
    `digraph flow {
  rankdir=LR
  node [shape=box]
  "end" [label="end"]
  "b" [label="b\\nx\\"]; click n0 \\"evil"]
  "c" [label="c\\nllm\\nfor each item, at most 20", peripheries=2]
  "end" -> "b" [label=""]
  "b" -> "end" [label="rate_limited, at most 3 times", style=dashed]
  "b" -> "c" [label=""]
}
`,
  )
})
