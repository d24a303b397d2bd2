/**
 * The tables, as queries see them. Every row belongs to one principal, except locks and migrations. Only `text` and
 * `integer` columns: these mean the same in SQLite and PostgreSQL. Times are ISO text in UTC.
 */
export interface Tables {
  cordon_migration: { name: string; applied_at: string }
  project_trust: { principal: string; folder: string; hash: string; trusted_at: string }
  note: { principal: string; kind: string; id: string; content: string }
  lock: { name: string; holder: string; until: string }
  consent: { principal: string; subject: string; hash: string; given_at: string }
  definition_hash: { principal: string; path: string; hash: string }
  import_journal: {
    principal: string
    id: string
    /** Orders the imports of one principal independently of the clock. */
    position: number
    journal: string
    undone_at: string | null
  }
  session: { cookie_hash: string; principal: string; csrf_hash: string; expires_at: string }
  /** One row for each call of a question. */
  approval: {
    principal: string
    digest: string
    question: string
    position: number
    key: string
    call_id: string
    task_id: string
    state: string
    asked_at: string
    answer_by: string
    use_by: string
    answered_at: string | null
    answered_by: string | null
    answered_how: string | null
    spent_at: string | null
    was_seen: number
    content: string
  }
  /** One row for each call that relied on an approved plan; `slot` counts the calls of one node, from 1. */
  plan_use: {
    principal: string
    approval: string
    node: string
    slot: number
    call_id: string
    used_at: string
  }
  standing_grant: {
    principal: string
    id: string
    kind: string
    origin: string | null
    /** Text, since an amount may be larger than an `integer`. */
    max: string | null
    server: string
    tool: string
    hash: string
    server_pin: string
    created_at: string
    expires_at: string
    uses_left: number
    revoked_at: string | null
  }
  /** The last use of each grant that was used. */
  grant_use: { principal: string; id: string; used_at: string }
  /** `ir` and `inputs` are JSON, `sinks` a JSON list of names. */
  saved_flow: {
    principal: string
    name: string
    ir: string
    written: string | null
    saved_at: string
  }
  flow_schedule: {
    principal: string
    name: string
    cron: string
    timezone: string
    sinks: string
    template: string
    inputs: string
    created_at: string
    /** How many of the times that passed unattended are made up for: 0 none, 1 the last, 2 each. */
    catch_up: number
    overlap: string
    /** JSON; null until its first time came. */
    progress: string | null
  }
  /** `content` is a label in stored form, as JSON; `id` a hash or the id of a server. */
  kept_label: { principal: string; kind: string; id: string; content: string; kept_at: string }
  /** One row for each item of a notice to the owner: a host, a scope, a tool, or the empty text. */
  notice: {
    principal: string
    kind: string
    server: string
    item: string
    reason: string
    since: string
    last_at: string
    count: number
    seen_at: string | null
  }
  /** A fact of memory. `key` is equal for facts that replace each other; `labels` and `source` are JSON. */
  memory_fact: {
    principal: string
    key: string
    number: number
    text: string
    labels: string
    source: string
    kept_at: string
    used_at: string | null
  }
  /** One message and its answer; `label` is that of the answer, in stored form. */
  memory_turn: {
    principal: string
    number: number
    channel: string
    conversation: string
    said: string
    answered: string
    label: string
    at: string
  }
  /** A result of a tool. `content` is a labelled value in stored form; empty once it is forgotten. */
  memory_result: {
    principal: string
    number: number
    conversation: string
    server: string
    tool: string
    type: string
    count: number | null
    content: string
    at: string
  }
  endorsement: {
    principal: string
    task_id: string
    server: string
    argument: string
    value_hash: string
    until: string
  }
}
