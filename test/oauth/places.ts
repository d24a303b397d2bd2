/** The addresses that the tests of OAuth know. None of them exists. */
export const ISSUER = 'https://as.cordon.test'
export const MCP_URL = 'https://mcp.cordon.test/mcp'
/** Where a document describes Cordon as a client. */
export const CLIENT_DOCUMENT = 'https://www.cordon.test/client.json'
