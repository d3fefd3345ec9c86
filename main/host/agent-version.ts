/** Equal to package.json's version (a test compares); a constant, so that no start-up reads a file for it. */
export const AGENT_VERSION = '0.1.0'
