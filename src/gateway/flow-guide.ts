/** The flow language as a client's model is told it, in few tokens. */

export const FLOW_GUIDE: string = `Runs several tool calls as one plan and answers with the result of the last step. The whole plan is checked before its first step (tools, arguments, where data may go), and questions to the owner come ahead. Values between steps do not pass through you and keep their own origin, so a flow is often asked about less than the same calls one by one.

A step is a tool with its arguments as flags; >> joins steps:
  mcp github search_code --query "TODO" >> count --items "\${mcp-github-search-code.search_results}"
- A tool named SERVER__TOOL is written: mcp SERVER TOOL
- --key value; quote text that has spaces; JSON in single quotes: --labels '["a","b"]'
- "as NAME" after a tool names the step. \${NAME.key} and \${NAME.items[0].id} take from its result, also inside a text. The answer of a tool without named fields is \${NAME.result}
- A text that is JSON is read where a list or an object is wanted; json reads it anywhere, lines takes its lines
- An argument that is not given comes from the step before, by its name
- A line may begin with >>
- Lists (--items "\${…}", or the step before): filter and select --where '{"field":"state","op":"eq","value":"open"}' (op: eq ne lt lte gt gte in contains starts_with exists), map --to "\${item.id}", sort --by FIELD --order desc, unique --by FIELD, pick --fields '["id","title"]', first, last, count, join --separator ", "; format --template "text \${NAME.key}"
- inputs: values that the flow takes as \${NAME}; give long texts and kept results this way

Example:
  mcp github get_repo as r --repo cordon
  >> mcp slack send_message --channel dev --message "News: \${r.result}"`
