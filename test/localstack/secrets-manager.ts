/** Calls the Secrets Manager, which has no client among the dependencies. */
export async function callSecretsManager(operation: string, input: object): Promise<void> {
  const { AWS_ENDPOINT_URL: url = '', AWS_REGION: region = 'us-east-1' } = process.env;
  const scope = `${process.env.AWS_ACCESS_KEY_ID}/20261101/${region}/secretsmanager/aws4_request`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.1',
      'X-Amz-Target': `secretsmanager.${operation}`,
      // The emulator reads account and region, and checks no signature.
      Authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`,
    },
    body: JSON.stringify(input),
  });
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
}
