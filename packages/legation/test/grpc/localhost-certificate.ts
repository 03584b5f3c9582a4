/** A certificate for `localhost` that nobody trusts but these tests, valid for a hundred years. */
export const LOCALHOST: { readonly key: string; readonly cert: string } = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLGssLC2sO5VrLBt+
G268Y6rPfjyyxijqKHspwDSiQ5ihRANCAATc6IoGVM0OjRMALrcSvibj9iEs3oZL
J+rHjHfpzu+konlxwgUA05bLUcMiPvNbNlItGRUAhhDx0l8YVQ/BBVpq
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUDLSbFPNyKDBt+NL/s/ZqRY3o3cswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDE5MzMxMloYDzIxMjYxMTA2
MTkzMzEyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATc6IoGVM0OjRMALrcSvibj9iEs3oZLJ+rHjHfpzu+konlxwgUA05bL
UcMiPvNbNlItGRUAhhDx0l8YVQ/BBVpqo2kwZzAdBgNVHQ4EFgQUov+zhMv33HIB
CbIXXYS/X2WDZ8owHwYDVR0jBBgwFoAUov+zhMv33HIBCbIXXYS/X2WDZ8owDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAI+jckIUFcZ/1hGHWsz37HiHxQX8enHPy40FVwCHYbE4AiBTh5Z1jk7K
ah2g5Yw/gCR6Z36TEcjE4iafDTKbujG5yw==
-----END CERTIFICATE-----
`,
};
