/** The names of accounts behind servers, as their providers tell them: untrusted, for people to see. */
export interface AccountNames {
  find(server: string): Promise<string | undefined>
  forget(server: string): Promise<void>
}
