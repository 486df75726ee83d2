# One image for every process of the site; docker-compose.yml says which one runs what.
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/arena
ENV PATH=/opt/arena/bin:$PATH
COPY requirements/site.lock requirements/
RUN pip install --require-hashes -r requirements/site.lock
COPY . .
RUN pip install --no-deps --no-build-isolation . \
    && ARENA_DATA=/tmp/build ARENA_STATIC=/opt/arena/static DJANGO_SETTINGS_MODULE=webapp.settings \
       python -m webapp collectstatic --no-input --verbosity 0 \
    && rm -rf /tmp/build

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/arena arena
COPY --from=build /opt/arena /opt/arena
ENV PATH=/opt/arena/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=webapp.settings \
    ARENA_DATA=/var/lib/arena \
    ARENA_STATIC=/opt/arena/static
USER arena
WORKDIR /var/lib/arena
EXPOSE 8000 50051 50052
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--no-ws", "--blocking-threads", "32", "--backlog", "4096", \
     "--log-level", "warning", "webapp.wsgi:application"]
