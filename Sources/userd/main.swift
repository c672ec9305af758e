import ArgumentParser
import Configuration
import Logging
import ServiceLifecycle
import Yams

print("userd")
