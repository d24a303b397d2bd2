/** Checks that the nodes exist and may be used, and that the edges between them make sense. */
import { isRead } from '../../kernel/effect.ts'
import type { Blocked } from '../../kernel/tool-facts.ts'
import { DEFAULT_ACTION } from '../engine/error-actions.ts'
import { closestNames } from '../../text/closest-names.ts'
import { shown } from '../flow-errors.ts'
import { shellWord } from '../../text/shell-word.ts'
import {
  type FlowEdge,
  type FlowIr,
  type FlowNode,
  type McpMetadata,
  MCP_WRAPPER,
} from '../language/ir.ts'
import { missingServerHint } from '../nodes/missing-server-hint.ts'
import type { KnownNode, NodeIndex, NodeFinding } from '../nodes/node-index.ts'
import { isOperator, parseOperation } from '../operators/operation.ts'
import type { CheckedFlow, CheckedNode } from './checked-flow.ts'
import { didYouMean, errorAt, type Finding, warningAt } from './finding.ts'
import { edgeAction } from './flow-graph.ts'

/** Looks a node up by its pinned tool, else by name. */
export function findNode(
  { id, type, mcp_metadata: pin }: FlowNode,
  nodeIndex: NodeIndex,
): NodeFinding {
  const { server_id, tool_name } = pin ?? {}
  const pinned =
    server_id !== undefined && tool_name !== undefined && nodeIndex.tool(server_id, tool_name)
  return pinned ? { kind: 'found', node: pinned } : nodeIndex.find(type === MCP_WRAPPER ? id : type)
}

export function nodeFindings(
  node: FlowNode,
  index: number,
  nodeIndex: NodeIndex,
): { readonly known?: KnownNode; readonly findings: readonly Finding[] } {
  const found = findNode(node, nodeIndex)
  const place = `nodes[${index}]`
  const name = shown(node.type === MCP_WRAPPER ? node.id : node.type)
  if (found.kind === 'ambiguous') {
    const message = `${name} can mean ${found.names.length} nodes`
    const hint = `Write one of ${found.names.slice(0, 5).map(shown).join(', ')}`
    return { findings: [errorAt(`${place}.type`, 'node.ambiguous', message, hint)] }
  }
  if (found.kind === 'unknown') {
    const hint =
      missingServerHint(node.type === MCP_WRAPPER ? node.id : node.type, nodeIndex) ??
      didYouMean(found.suggestions, 'Run `cordon registry list` to see every node')
    return {
      findings: [errorAt(`${place}.type`, 'node.unknown', `There is no node ${name}`, hint)],
    }
  }
  const { node: known } = found
  return {
    known,
    findings: [...useFindings(node, known, place), ...pinFindings(node, known, place, nodeIndex)],
  }
}

const BLOCKED: Readonly<Record<Blocked, string>> = {
  unknown: 'is not known to its server any more',
  quarantined: 'is not as its owner last saw it; it waits for approval',
  held: 'is quarantined by its owner',
  collides: 'has a name that can be taken for another; it waits for approval',
  disabled: 'is switched off by its owner',
}

function useFindings(node: FlowNode, known: KnownNode, place: string): readonly Finding[] {
  const findings: Finding[] = []
  const { descriptor, facts } = known
  if (facts?.blocked) {
    const hint = `Look at it with \`cordon mcp tools ${facts.id.server}\``
    const message = `${shown(descriptor.id)} ${BLOCKED[facts.blocked]}`
    findings.push(errorAt(`${place}.type`, `node.${facts.blocked}`, message, hint))
  }
  return [
    ...findings,
    ...executionFindings(node, known, place),
    ...operatorFindings(node, known, place),
  ]
}

/** Only reads may be retried; only nodes that return the same result each time may be cached. */
function executionFindings(
  { execution = {} }: FlowNode,
  { descriptor, facts }: KnownNode,
  place: string,
): readonly Finding[] {
  const at = (what: string): string => `${place}.execution.${what}`
  const name = shown(descriptor.id)
  const findings: Finding[] = []
  if ((execution.max_retries ?? 0) > 0 && !isRead(facts?.effect ?? descriptor.effect)) {
    const message = `${name} may change something, so it is not tried again`
    const hint = 'Remove max_retries, or add an edge for how it may end'
    findings.push(warningAt(at('max_retries'), 'execution.impure', message, hint))
  }
  if (execution.use_cache === true && descriptor.purity === 'impure') {
    const message = `${name} may give something else each time, so nothing of it is kept`
    const hint = 'Remove use_cache, or run the flow with --trust-readonly where it only reads'
    findings.push(warningAt(at('use_cache'), 'execution.impure', message, hint))
  }
  return findings
}

function operatorFindings(
  node: FlowNode,
  { descriptor }: KnownNode,
  place: string,
): readonly Finding[] {
  const { id } = descriptor
  const reading = isOperator(id) ? parseOperation(id, node.params) : undefined
  if (reading?.kind !== 'problem') return []
  const at = reading.place === '' ? 'params' : `params.${reading.place}`
  const message = `Cannot use ${shown(id)} like this: ${reading.message}`
  const hint = `Run \`cordon registry describe ${id}\` to see what it takes`
  return [errorAt(`${place}.${at}`, 'operator.params', message, hint)]
}

function pinFindings(
  node: FlowNode,
  { descriptor: { pin, id } }: KnownNode,
  place: string,
  nodeIndex: NodeIndex,
): readonly Finding[] {
  const wanted = node.mcp_metadata
  if (!wanted) return []
  const at = `${place}.mcp_metadata`
  const { tool, hash } = pin ?? {}
  if (isOtherTool(node, id, nodeIndex) || isOther(wanted.tool_name, tool?.name)) {
    const message = `${shown(node.type)} and mcp_metadata name different tools`
    return [errorAt(at, 'pin.other-tool', message, 'Remove mcp_metadata, or correct it')]
  }
  if (isOther(wanted.manifest_hash?.replace(/^sha256:/, ''), hash)) {
    const message = `${shown(id)} is not as it was when the flow was made`
    const hint = `Look at it with \`cordon registry describe ${shellWord(id)}\`, then save the flow again`
    return [errorAt(`${at}.manifest_hash`, 'pin.changed', message, hint)]
  }
  return serverFindings(wanted, tool?.server, `${at}.server_id`)
}

function serverFindings(
  { server_id }: McpMetadata,
  server: string | undefined,
  place: string,
): readonly Finding[] {
  if (server_id === undefined || server_id === server) return []
  // A project's server has an id of its own in each folder: one folder's never takes the place of another's.
  if (`${server_id}${server ?? ''}`.includes('~')) {
    const message = 'The flow was made with the server of another folder'
    return [errorAt(place, 'pin.other-server', message, 'Run it there, or save it anew here')]
  }
  const message = `There is no such tool on a server ${shown(server_id)}; that of ${shown(server ?? '')} is used`
  return [warningAt(place, 'pin.other-server', message, 'Correct server_id')]
}

/** Whether the node's type names another tool than its pin. */
function isOtherTool({ type }: FlowNode, id: string, nodeIndex: NodeIndex): boolean {
  const named = type === MCP_WRAPPER ? undefined : nodeIndex.find(type)
  return named?.kind === 'found' && named.node.descriptor.id !== id
}

function isOther(wanted: string | undefined, is: string | undefined): boolean {
  return wanted !== undefined && wanted !== is
}

export function edgeFindings(flow: CheckedFlow): readonly Finding[] {
  const { ir, graph, nodes } = flow
  const findings = ir.edges.flatMap(({ from, to }, index) =>
    (['from', 'to'] as const).flatMap((end) => {
      const id = end === 'from' ? from : to
      return nodes.has(id) ? [] : [unknownEnd(`edges[${index}].${end}`, id, ir)]
    }),
  )
  const actions = ir.edges.flatMap((edge, index) => {
    const source = nodes.get(edge.from)
    return source ? actionFindings(source, edgeAction(edge), `edges[${index}].action`) : []
  })
  const bounds = ir.edges.flatMap((edge, index) => {
    const isPlain = edge.max === undefined || !nodes.has(edge.from) || !nodes.has(edge.to)
    return isPlain || graph.bounded.has(edge) ? [] : [pointlessBound(`edges[${index}].max`)]
  })
  return [
    ...findings,
    ...actions,
    ...bounds,
    ...(graph.cycle ? [cycleFinding(graph.cycle, ir)] : []),
    ...(graph.endless ? [endlessFinding(graph.endless, ir)] : []),
  ]
}

function pointlessBound(place: string): Finding {
  const message = 'The edge has a `max` and is part of no loop, so it does not count'
  return warningAt(place, 'edge.max', message, 'Remove `max` from it')
}

function unknownEnd(place: string, id: string, { nodes }: FlowIr): Finding {
  const names = nodes.map((node) => node.id)
  const hint = didYouMean(closestNames(id, names), 'Use the id of a node of this flow')
  return errorAt(place, 'edge.unknown', `There is no node ${shown(id)} in the flow`, hint)
}

function actionFindings({ known }: CheckedNode, action: string, place: string): readonly Finding[] {
  const actions = known?.descriptor.actions
  if (!actions || action === DEFAULT_ACTION || actions.includes(action)) return []
  const message = `${shown(known.descriptor.id)} never ends with ${shown(action)}`
  const hint = didYouMean(closestNames(action, actions), `Use one of ${actions.join(', ')}`)
  return [errorAt(place, 'edge.action', message, hint)]
}

function endlessFinding(edge: FlowEdge, { edges }: FlowIr): Finding {
  const message = `The edge ${shown(edge.from)} → ${shown(edge.to)} leads back and has no \`max\``
  const hint = 'Give this edge a `max`, for example 3: how often it may be taken'
  return errorAt(`edges[${edges.indexOf(edge)}]`, 'edge.cycle', message, hint)
}

function cycleFinding(cycle: readonly string[], { nodes, edges }: FlowIr): Finding {
  const [first = ''] = cycle
  const at = new Map(nodes.map(({ id }, index) => [id, index]))
  const steps = new Map(cycle.map((id, index) => [id, cycle[index + 1] ?? first]))
  const isBack = ({ from, to, max }: FlowEdge): boolean =>
    max === undefined && steps.get(from) === to && (at.get(to) ?? 0) <= (at.get(from) ?? 0)
  const path = [...cycle.slice(0, 8), cycle.length > 8 ? '…' : first].join(' → ')
  const message = `The flow goes round without an end: ${path}`
  const hint = 'Give the edge that leads back a `max`, for example 3'
  return errorAt(`edges[${edges.findIndex(isBack)}]`, 'edge.cycle', message, hint)
}
