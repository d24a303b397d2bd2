/** The name of the limits that a schedule has without a template of the owner's: the tools of its flow and no others. */
export function ownTemplate(flow: string): string {
  return `flow:${flow}`
}
