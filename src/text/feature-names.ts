/**
 * The features of a server besides its tools, each as a tool of that server: a read of a resource passes the one door
 * like every call. Their names begin with `~`, with which no tool of a server may begin (`session/tool-list.ts`).
 */
export const READ_RESOURCE = '~read-resource'
export const SUBSCRIBE_RESOURCE = '~subscribe-resource'
export const GET_PROMPT = '~get-prompt'
export const COMPLETE = '~complete'

export const FEATURE_NAMES: readonly string[] = [
  READ_RESOURCE,
  SUBSCRIBE_RESOURCE,
  GET_PROMPT,
  COMPLETE,
]

export function isFeatureName(name: string): boolean {
  return name.startsWith('~')
}
