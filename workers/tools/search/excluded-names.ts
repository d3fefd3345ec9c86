/** Never searched: other programs' innards, and places where secrets are, which only read_file opens, asking. */
export const EXCLUDED = ['.git', '.metona', '.env', '.env.*', '.envrc', '*.pem', '*.p12', '*.pfx', '*.key', '*.kdbx', '*.keystore', 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '.ssh', '.gnupg', '.aws', '.kube', '.netrc', '.pypirc', '.git-credentials']
