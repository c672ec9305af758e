#!/usr/bin/env python3
"""Lists of people on loopback, and a provider to sign in at: Django over SQLite, configured by this one file.

    web_server.py FOLDER [--people 300] [--access 3600] [--userinfo URL]     prints one line of JSON, then serves

/number/, /offset/ and /cursor/ are Django REST framework's three paginations, /scim/v2/Users is django-scim2, and
django-allauth is the provider. They take the token `rest-token`, the password of ann, and the provider's tokens with the scope
people.read; with --userinfo, also tokens that the provider of that address knows. What FOLDER/during.sql says is done when
a page after the first is requested, once. Each request is a line of FOLDER/requests: its status, and its path.
"""
import argparse, base64, json, os, secrets, signal, socketserver, sqlite3, sys, urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.apps import AppConfig
from django.conf import settings

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder", type=Path)
parser.add_argument("--people", type=int, default=300)
parser.add_argument("--access", type=int, default=3600, metavar="S", help="lifetime of access tokens")
parser.add_argument("--userinfo", metavar="URL", help="another provider's address for tokens")
options = parser.parse_args()
DATABASE, DURING = options.folder / "people.db", options.folder / "during.sql"
PERSON = {"username": "ann", "password": "correct horse"}


class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def server_bind(self):
        socketserver.TCPServer.server_bind(self)  # without wsgiref's getfqdn(), which may ask DNS
        self.server_name, self.server_port = self.server_address[:2]
        self.setup_environ()


class Handler(WSGIRequestHandler):
    def log_message(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
base = f"http://127.0.0.1:{server.server_port}"


class People(AppConfig):
    """The table of people. An app within this file, which can't be a package."""
    name, label, path = "__main__", "people", os.path.dirname(os.path.realpath(__file__))

    def import_models(self):
        self.models, self.models_module = self.apps.all_models[self.label], sys.modules[__name__]
        from django.contrib.auth.models import AbstractUser, Group
        from django.db import models
        from django_scim.models import AbstractSCIMUserMixin

        class Person(AbstractSCIMUserMixin, AbstractUser):
            title = models.CharField(max_length=100, blank=True)
            department = models.CharField(max_length=100, blank=True)
            phone = models.CharField(max_length=100, blank=True)
            groups = user_permissions = None  # their tables are made later
            scim_groups = property(lambda self: Group.objects.none())


def observed(get_response):
    """Notes each request, and lets people come and go while a list is read."""
    def middleware(request):
        later = int(request.GET.get("page", 1)) > 1 or int(request.GET.get("offset", 0)) > 0 or "cursor" in request.GET \
            or int(request.GET.get("startIndex", 1)) > 1
        if later and DURING.exists():
            with sqlite3.connect(DATABASE) as database:
                database.executescript(DURING.read_text())
            DURING.unlink()
        response = get_response(request)
        with open(options.folder / "requests", "a") as log:
            log.write(f"{response.status_code} {request.get_full_path()}\n")
        return response
    return middleware


def basic(get_response):
    """HTTP Basic for django-scim2, which leaves that to the site."""
    def middleware(request):
        from django.contrib.auth import authenticate
        scheme, _, value = request.headers.get("Authorization", "").partition(" ")
        if scheme == "Basic":
            name, _, password = base64.b64decode(value).decode().partition(":")
            request.user = authenticate(request, username=name, password=password) or request.user
        return get_response(request)
    return middleware


key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
settings.configure(
    SECRET_KEY=secrets.token_hex(), DEBUG=False, ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True, TIME_ZONE="UTC",
    AUTH_USER_MODEL="people.Person", DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", LOGGING_CONFIG=None,
    SILENCED_SYSTEM_CHECKS=["security.W001"], STATIC_URL="/static/",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # fast
    AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.ModelBackend"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
                    "rest_framework", "rest_framework.authtoken", "django_scim", "allauth", "allauth.account",
                    "allauth.idp.oidc", __name__ + ".People"],
    MIDDLEWARE=[__name__ + ".observed", "django.contrib.sessions.middleware.SessionMiddleware",
                "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
                "django.contrib.messages.middleware.MessageMiddleware", "allauth.account.middleware.AccountMiddleware",
                __name__ + ".basic", "django_scim.middleware.SCIMAuthCheckMiddleware"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(DATABASE), "OPTIONS": {"timeout": 20}}},
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
        "context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
                               "django.contrib.messages.context_processors.messages"]}}],
    ACCOUNT_EMAIL_VERIFICATION="none", ACCOUNT_LOGIN_METHODS={"username"}, ACCOUNT_RATE_LIMITS=False,
    IDP_OIDC_PRIVATE_KEY=key, IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN=options.access, IDP_OIDC_RATE_LIMITS=False,
    IDP_OIDC_DEVICE_CODE_INTERVAL=1, IDP_OIDC_ADAPTER=__name__ + ".Adapter",
    SCIM_SERVICE_PROVIDER={"NETLOC": base.removeprefix("http://"), "SCHEME": "http", "AUTHENTICATION_SCHEMES": [
        {"type": "httpbasic", "name": "HTTP Basic", "description": "a name and a password"}]},
)
django.setup()

from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.contrib.rest_framework.authentication import TokenAuthentication as ProviderAuthentication
from allauth.idp.oidc.models import Client
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import include, path
from rest_framework import authentication, exceptions, generics, pagination, permissions, serializers
from rest_framework.authtoken.models import Token

Person = get_user_model()


class Adapter(DefaultOIDCAdapter):
    scope_display = {**DefaultOIDCAdapter.scope_display, "people.read": "Read the list of people"}


class Fields(serializers.ModelSerializer):
    class Meta:
        model = Person
        fields = ["id", "username", "first_name", "last_name", "email", "title", "department", "phone", "is_active",
                  "date_joined"]


class OtherProvider(authentication.BaseAuthentication):
    """Tokens of another provider, which says at once whose they are."""
    def authenticate(self, request):
        header = request.headers.get("Authorization", "")
        if not options.userinfo or not header.startswith("Bearer "):
            return None
        try:
            web = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            web.open(urllib.request.Request(options.userinfo, headers={"Authorization": header}), timeout=10).close()
        except OSError:
            raise exceptions.AuthenticationFailed("The token is not valid.")
        return Person.objects.get(username="ann"), None

    def authenticate_header(self, request):
        return "Bearer"


def people(style, **more):
    """A list with one of the paginations, whose limits are below userd's page."""
    more = {"page_size": 50, "max_page_size": 80, **more}
    return type("List", (generics.ListAPIView,), {
        "queryset": Person.objects.order_by("id"), "serializer_class": Fields,
        "authentication_classes": [authentication.TokenAuthentication, OtherProvider if options.userinfo else ProviderAuthentication],
        "permission_classes": [permissions.IsAuthenticated],
        "pagination_class": type("Pages", (style,), more)}).as_view()


urlpatterns = [
    path("number/", people(pagination.PageNumberPagination, page_size_query_param="page_size")),
    path("offset/", people(pagination.LimitOffsetPagination, default_limit=50, max_limit=80)),
    path("cursor/", people(pagination.CursorPagination, page_size_query_param="page_size", ordering="id")),
    path("scim/v2/", include("django_scim.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("", include("allauth.idp.urls")),
]

call_command("migrate", run_syncdb=True, verbosity=0)
if not Person.objects.exists():
    ann = Person.objects.create_user(first_name="Ann", last_name="Lee", email="ann@example.org", **PERSON)
    GIVEN = ["José", "Zoë", "山田", "O'Neil", "Łucja", "Nguyễn", "Björn", "Анна", "فاطمة", "Jean-Luc"]
    Person.objects.bulk_create(
        Person(username=f"p{i:04}", first_name=GIVEN[i % 10], last_name=f"Beispiel-{i}", email=f"p{i}@example.org",
               title="" if i % 7 == 0 else f"Engineer {i % 5}", department=f"Dept & Co {i % 12}",
               phone=f"+49 30 {100000 + i}" if i % 3 else "", is_active=i % 40 != 39,
               date_joined=datetime(2020, 1, 1, tzinfo=timezone.utc) + timedelta(days=i, milliseconds=i))
        for i in range(1, options.people))
    with sqlite3.connect(DATABASE) as database:
        database.execute("UPDATE people_person SET scim_id = id, scim_username = username")
    Token.objects.create(user=ann, key="rest-token")
    client = Client(id="native", name="userd", type="public", grant_types="authorization_code\nrefresh_token\n"
                    "urn:ietf:params:oauth:grant-type:device_code", scopes="openid\nprofile\npeople.read",
                    redirect_uris="http://127.0.0.1:18920/callback")
    client.save()


def stop(*_):
    os._exit(0)


signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
server.set_app(get_wsgi_application())
print(json.dumps({"base": base, "pid": os.getpid(), "database": str(DATABASE), "person": PERSON}), flush=True)
server.serve_forever()
