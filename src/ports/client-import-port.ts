/**
 * The port of moving a client in and out: its servers become Cordon's, and its configuration file names Cordon instead.
 * Every move can be undone, byte for byte.
 */

/** A client that Cordon knows, and the state of its configuration. */
export interface FoundClient {
  readonly id: string
  readonly name: string
  readonly path: string
  /** The file belongs to a project, and to everybody who works on it. */
  readonly isOfProject?: true
  readonly exists: boolean
  /** Its configuration starts Cordon. */
  readonly isConnected: boolean
  /** Servers that the client starts around Cordon. */
  readonly servers: readonly string[]
  /** Sentences about those that fetch whatever version is newest, or hold a token in plain text. */
  readonly risks: readonly string[]
  /** A move of this client can be undone. */
  readonly canUndo: boolean
  /** The file cannot be read, and why. */
  readonly problem?: string
}

/** The future of one entry of the file. `moves`: becomes a server of Cordon's. `there`: Cordon has it. `stays`: as it is. */
export interface EntryPlan {
  readonly name: string
  readonly project?: string
  readonly fate: 'moves' | 'there' | 'stays'
  /** Its id in Cordon. */
  readonly server?: string
  /** The command or the URL, without secrets. */
  readonly runs?: string
  readonly installs?: string
  /** The hosts that it may reach. */
  readonly hosts: readonly string[]
  /** Names in the vault for the tokens that stand in the file in plain text. */
  readonly secrets: readonly string[]
  readonly needsSignIn: boolean
  /** A step that is left to the owner, or the reason why it stays. */
  readonly why?: string
  readonly notes: readonly string[]
}

export interface StartLine {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface ClientPlan {
  readonly client: string
  readonly name: string
  readonly path: string
  /** Of the file as it was read; a move takes no other. */
  readonly seen: string
  readonly entries: readonly EntryPlan[]
  /** The entry that the client gets. */
  readonly starts: StartLine
  readonly isNewFile: boolean
  /** The client is registered with the gateway by the move. */
  readonly registers: boolean
  /** The file names Cordon, and nothing is left to move. */
  readonly isDone: boolean
  /** The file belongs to a project, and to everybody who works on it. */
  readonly isOfProject?: true
}

export interface ClientMove extends ClientPlan {
  readonly id: string
  /** The servers that moved in and can be started now, each once, with what a start installs. */
  readonly startable: readonly { readonly server: string; readonly installs?: string }[]
}

export interface ClientUndo {
  readonly client: string
  readonly path: string
  /** `untouched`: the file had not been changed. `merged`: only Cordon's part was taken back. */
  readonly file: 'restored' | 'removed' | 'untouched' | 'merged'
  /** The same as a sentence, with the path. */
  readonly told: string
  readonly servers: readonly { readonly server: string; readonly action: string }[]
  readonly notes: readonly string[]
}

/** A client by its id, and the folder of a project whose file is meant. */
export interface ClientAt {
  readonly client: string
  readonly folder?: string
}

export interface ClientImports {
  /** Every known client, and the files of the project in the folder, if one is given. */
  find(folder?: string): Promise<readonly FoundClient[]>
  /** Changes nothing. */
  plan(at: ClientAt): Promise<ClientPlan>
  /** Refused if the file is no longer the one that was `seen`. */
  move(at: ClientAt, seen: string): Promise<ClientMove>
  /** Reverts the last move of the client. `merge`: the file has changed since, and the changes are kept. */
  undo(at: ClientAt, options: { readonly merge: boolean }): Promise<ClientUndo>
  /** Starts the line that stands in the client's file, as the client would, and lists the tools. */
  check(at: ClientAt, signal: AbortSignal): Promise<{ readonly tools: number }>
}
