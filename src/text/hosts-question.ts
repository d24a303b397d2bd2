/** The question whether a server may reach hosts that it tried: what happened, and what a yes means. Pure. */

/** One sentence, with a full stop. */
export function hostsTried(title: string, hosts: readonly string[]): string {
  return `${title} tried to reach ${hosts.join(' and ')}, which it may not.`
}

export function hostsQuestion(server: string, hosts: readonly string[]): string {
  return `Allow ${server} to reach ${hosts.join(' and ')}? It can send there whatever it is given`
}
