/**
 * The limits of a task with a template: its principal, tools, number of calls and level. Deny wins over allow; a tool
 * that is not allowed is denied. The level holds for what is sent and for what is read: a server whose answers are above
 * it is not called at all, and the door drops a single answer that turns out to be.
 */
import { isAbove } from '../labels/label.ts'
import type { Because, Template } from '../kernel/tool-call.ts'
import { showTool } from '../kernel/tool-id.ts'
import type { Question } from './question.ts'

export function templateRefusal(question: Question): Because | undefined {
  const { principal, task, facts, args } = question
  const { template } = task
  if (!template) {
    if (principal === 'owner') return undefined
    return { rule: 'template.none', reason: 'Only the owner may call tools without a template' }
  }
  const name = showTool(facts.id)
  if (!mayUse(template, name)) {
    return { rule: 'template.tool', reason: `${template.name} may not use ${name}` }
  }
  if (task.callsBefore >= template.maxCalls) {
    return {
      rule: 'template.budget',
      reason: `${template.name} has used its ${template.maxCalls} calls`,
    }
  }
  const above = args.filter(({ label }) => isAbove(label.level, template.ceiling))
  const isAnswerAbove = facts.level !== undefined && isAbove(facts.level, template.ceiling)
  if (above.length === 0 && !isAnswerAbove) return undefined
  const reason = `${template.name} may not handle what is above ${template.ceiling}`
  if (above.length > 0) {
    return { rule: 'template.ceiling', reason, args: above.map(({ name: one }) => one) }
  }
  return { rule: 'template.ceiling', reason: `${reason}, and ${facts.id.server} is ${facts.level}` }
}

export function mayUse({ allowed, denied }: Template, tool: string): boolean {
  return allowed.some((one) => fits(one, tool)) && !denied.some((one) => fits(one, tool))
}

/** `*` matches every tool, `notion.*` every tool of one server, any other pattern only itself. */
function fits(pattern: string, tool: string): boolean {
  if (pattern === '*') return true
  return pattern.endsWith('.*') ? tool.startsWith(pattern.slice(0, -1)) : pattern === tool
}
