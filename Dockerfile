# One machine's crawler. Its user is not root, and it writes to the mounted folder alone (and large pages that `read` gets to /tmp):
#   docker build --tag strand .
#   docker run --rm --read-only --tmpfs /tmp --volume "$PWD:/data" strand crawl https://example.org/ --contact you@example.org
FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN node packaging/build.ts && npm pack ./dist/strand-crawler --silent --pack-destination /tmp

FROM node:24-slim
COPY --from=build /tmp/strand-crawler-*.tgz /tmp/
RUN npm install --global --omit=dev /tmp/strand-crawler-*.tgz && rm -rf /tmp/*.tgz /root/.npm \
    && mkdir /data && chown node:node /data
USER node
# A crawl is written below the working directory: crawls/HOST-DATE-TIME.
WORKDIR /data
VOLUME /data
ENTRYPOINT ["strand"]
CMD ["--help"]
